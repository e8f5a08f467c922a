// Runs before anything is drawn, so that no page flashes in the other theme.
;(() => {
  try {
    const theme = localStorage.getItem("voltlane.theme")
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
  } catch {
    // A browser without storage follows the system.
  }
})()
