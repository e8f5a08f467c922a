/**
 * Takes the screenshots of the README (`docs/images`) from a running demo: `node scripts/screenshots.ts LINK`, with the link that `npm run demo`
 * prints.
 */
import { existsSync, mkdirSync } from "node:fs"
import { chromium } from "playwright-core"

const link = process.argv[2]
if (link === undefined) {
  process.stderr.write("usage: node scripts/screenshots.ts LINK (the link that npm run demo prints)\n")
  process.exit(2)
}
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path)
)
mkdirSync("docs/images", { recursive: true })
const browser = await chromium.launch({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: ["--no-sandbox"]
})
for (const colorScheme of ["light", "dark"] as const) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 860 }, colorScheme, locale: "en-GB" })
  await page.goto(link)
  await page.locator(".shell").waitFor()
  const take = async (name: string, path: string) => {
    await page.goto(`${new URL(link).origin}${path}`)
    await page.locator(".line-state.is-live").waitFor()
    await page.waitForTimeout(4_000)
    await page.screenshot({ path: `docs/images/${name}-${colorScheme}.png` })
  }
  await take("overview", "/")
  await page.goto(`${new URL(link).origin}/chargers?is=charging`)
  const first = page.locator("tr.line .row-link").first()
  await first.waitFor()
  await take("charger", `${await first.getAttribute("href")}`)
  await page.close()
}
await browser.close()
