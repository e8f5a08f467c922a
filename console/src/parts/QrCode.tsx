/** Text as a QR code, drawn by the page itself: no image is fetched, and the text does not leave the browser. */
import { encode } from "uqr"

export const QrCode = ({ label, text }: { readonly text: string; readonly label: string }) => {
  const { data, size } = encode(text, { border: 2 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("")
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
