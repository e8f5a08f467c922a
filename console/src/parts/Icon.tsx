/** Sixteen-pixel line icons, drawn for this console. */
const paths = {
  overview: "M2.5 8.5 8 3l5.5 5.5M4 7.5V13h8V7.5",
  sites: "M8 14s4.5-4.2 4.5-7.5a4.5 4.5 0 0 0-9 0C3.5 9.8 8 14 8 14zM8 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z",
  chargers: "M4 2.5h6v11H4zM10 7h1.5a1 1 0 0 1 1 1v3a1 1 0 0 0 2 0V6l-2-2M6 5.5h2",
  sessions: "M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z",
  work: "M2.5 4.5h11M2.5 8h7M2.5 11.5h9M12 9.5l1 1 2-2",
  tariffs: "M3 8.5 8.5 3H13v4.5L7.5 13zM10.5 5.5h.01",
  cdrs: "M4 2h8v12l-2-1.2L8 14l-2-1.2L4 14zM6 5.5h4M6 8.5h4",
  cards: "M2 4h12v8H2zM2 7h12M4.5 10h2",
  reservations: "M3 3.5h10v10H3zM3 6.5h10M6 2v3M10 2v3",
  roaming: "M5.5 8a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5zM10.5 13a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5zM7.2 7.2l1.6 1.6",
  files: "M4 2h5l3 3v9H4zM9 2v3h3M8 7.5v4M6.5 10 8 11.5 9.5 10",
  events: "M2 8h3l2-5 3 10 2-5h2",
  audit: "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM6 8l1.5 1.5L10.5 6.5",
  settings:
    "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6l1.4 1.4M11 11l1.4 1.4M3.6 12.4 5 11M11 5l1.4-1.4",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.5 10.5 14 14",
  theme: "M8 13.5a5.5 5.5 0 1 0 0-11zM8 2.5a5.5 5.5 0 0 0 0 11",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  close: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  check: "M3 8.5 6.5 12 13 4.5",
  down: "M4 6.5 8 10.5 12 6.5",
  out: "M9.5 3H13v10H9.5M7 8h6M4.5 5.5 2 8l2.5 2.5M2 8h6"
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
