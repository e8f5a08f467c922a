/** The entry point of the console. */
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { createRoot } from "react-dom/client"
import { router } from "./app/routes.tsx"
import { whenSignedOut } from "./api/client.ts"
import { leaveTo, reloadWhenKept } from "./app/whoHere.ts"
import { queries } from "./live/store.ts"
import { languageOf, setLanguage, useLanguage, whenLanguageChanges } from "./text/text.ts"
import "./look/tokens.css"
import "./look/base.css"
import "./look/shell.css"
import "./look/lists.css"
import "./look/map.css"
import "./look/details.css"
import "./look/forms.css"
import "./look/phone.css"

/** Remounted when the language changes: every text is looked up during rendering. */
const App = () => <RouterProvider key={useLanguage()} router={router} />

whenSignedOut(() => {
  const { pathname, search } = location
  if (/^\/(?:sign-in|set-up|invitation)\b/.test(pathname)) return
  leaveTo(`/sign-in?next=${encodeURIComponent(pathname + search)}`)
})

reloadWhenKept()

whenLanguageChanges((language) => {
  document.documentElement.lang = language
})

void setLanguage(languageOf(navigator.language)).finally(() =>
  createRoot(document.getElementById("app")!).render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  )
)
