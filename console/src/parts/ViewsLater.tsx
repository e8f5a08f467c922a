/** The menu of views, loaded after its list. */
import { lazy, Suspense } from "react"

const Menu = lazy(() => import("./Views.tsx").then(({ Views }) => ({ default: Views })))

export const Views = ({ of }: { readonly of: string }) => (
  <Suspense fallback={null}>
    <Menu of={of} />
  </Suspense>
)
