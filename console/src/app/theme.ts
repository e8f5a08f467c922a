/** Light or dark: the system's choice until the person has chosen. */
export const turnTheme = (): void => {
  const root = document.documentElement
  const isDark =
    (root.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"
  const next = isDark ? "light" : "dark"
  root.dataset["theme"] = next
  try {
    localStorage.setItem("voltlane.theme", next)
  } catch {
    // A browser without storage follows the system again at the next visit.
  }
}
