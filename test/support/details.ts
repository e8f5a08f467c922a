/** All optional data of a site, an EVSE and a connector, in the form of REST v2. */

const image = {
  url: "https://voltlane.example/harbour.jpg",
  thumbnail: "https://voltlane.example/harbour-small.jpg",
  category: "ENTRANCE",
  type: "jpeg",
  width: 1920,
  height: 1080
} as const

export const siteDetails = {
  parkingType: "ALONG_MOTORWAY",
  directions: [
    { language: "en", text: "Behind the lock house" },
    { language: "nl", text: "Achter het sluiswachtershuis" }
  ],
  relatedLocations: [
    { latitude: 52.51, longitude: 5.26, name: { language: "en", text: "Entrance" } },
    { latitude: -33.5, longitude: -70.123_456_7 }
  ],
  facilities: ["HOTEL", "BIKE_SHARING", "WIFI"],
  operator: { name: "Quay Charging", website: "https://quay.example", logo: { ...image, category: "OPERATOR" } },
  suboperator: { name: "Harbour Services" },
  owner: { name: "City of Lelystad", website: "https://lelystad.example" },
  chargingWhenClosed: false,
  images: [image],
  energyMix: {
    isGreenEnergy: true,
    energySources: [
      { source: "SOLAR", percentage: 33.333_333 },
      { source: "WIND", percentage: 66.6 }
    ],
    environImpact: [{ category: "CARBON_DIOXIDE", amount: 0.5 }],
    supplierName: "Polder Power",
    energyProductName: "Polder Green"
  }
} as const

export const publishAllowedTo = [
  { visualNumber: "12345-67", issuer: "NewMotion" },
  { uid: "12345678905880", type: "RFID" },
  { groupId: "EMPLOYEES" }
] as const

export const evseDetails = {
  physicalReference: "Bay 12",
  floorLevel: "-2",
  coordinates: { latitude: 52.500_001, longitude: 5.249_999 },
  directions: [{ language: "en", text: "Left of the crane" }],
  images: [{ url: "https://voltlane.example/bay.png", category: "CHARGER", type: "png" }],
  parkingRestrictions: ["EV_ONLY", "CUSTOMERS"]
} as const

export const terms = "https://voltlane.example/terms"
