/** Saved views, which are pages with their filters: a menu on each list, and a button that saves the current one. */
import { useQuery } from "@tanstack/react-query"
import { Link, useRouterState } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { call } from "../api/client.ts"
import { may, useMe } from "../app/me.ts"
import { changed } from "../live/store.ts"
import { t } from "../text/text.ts"
import { Dialog } from "./Dialog.tsx"
import { CheckBox, Form, TextField } from "./Form.tsx"
import { Icon } from "./Icon.tsx"

export const useViews = () => {
  const me = useMe()
  return useQuery({
    queryKey: ["views.list"],
    enabled: me.operator !== null && may(me, "views.list"),
    queryFn: () => call("views.list", { query: { limit: 500 } })
  })
}

/** An address of this console, in the form that the router takes. */
export const placeOf = (path: string): { readonly to: string; readonly search: Readonly<Record<string, string>> } => {
  const { pathname, searchParams } = new URL(path, location.origin)
  return { to: pathname, search: Object.fromEntries(searchParams) }
}

/** Parameters that are not saved: those of open dialogs. */
const leftOut: ReadonlySet<string> = new Set(["do", "id"])

const Keep = ({ path, onClose }: { readonly path: string; readonly onClose: () => void }) => (
  <Dialog title={t("view.keep")} onClose={onClose}>
    <Form
      submit={t("view.keep")}
      fields={["name"]}
      onCancel={onClose}
      onSubmit={async (values) => {
        await call("views.create", {
          body: { name: values.text("name").trim(), path, shared: values.checked("shared") }
        })
        changed("views.list")
        onClose()
      }}
    >
      <TextField name="name" label={t("field.name")} required maxLength={60} />
      <CheckBox name="shared" label={t("view.shared")} />
    </Form>
  </Dialog>
)

export const Views = ({ of }: { readonly of: string }) => {
  const box = useRef<HTMLDetailsElement>(null)
  const [isKeeping, setKeeping] = useState(false)
  const { data } = useViews()
  const search = useRouterState({
    select: ({ location: { search: given } }) => given as Readonly<Record<string, string>>
  })
  const close = () => box.current?.removeAttribute("open")
  useEffect(() => {
    const away = (event: Event) => {
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !box.current?.contains(event.target as Node))
        close()
    }
    document.addEventListener("pointerdown", away)
    document.addEventListener("keydown", away)
    return () => {
      document.removeEventListener("pointerdown", away)
      document.removeEventListener("keydown", away)
    }
  }, [])
  if (useMe().operator === null) return null
  const here = (data?.items ?? []).filter(({ path }) => placeOf(path).to === of)
  const filters = new URLSearchParams(Object.entries(search).filter(([name]) => !leftOut.has(name)))
  const path = filters.size === 0 ? of : `${of}?${filters.toString()}`
  return (
    <>
      <details className="menu" ref={box}>
        <summary className="button">{t("view.many")}</summary>
        <ul>
          {here.map(({ id, name, own, path: kept, shared }) => (
            <li key={id}>
              <Link {...(placeOf(kept) as { to: never; search: never })} onClick={close}>
                <bdi>{name}</bdi>
                {shared && !own ? <small>{t("view.ofOthers")}</small> : null}
              </Link>
              {own ? (
                <button
                  type="button"
                  className="ghost"
                  aria-label={t("view.remove", { name })}
                  onClick={() =>
                    void call("views.remove", { params: { viewId: id } }).then(() => changed("views.list"))
                  }
                >
                  <Icon name="close" />
                </button>
              ) : null}
            </li>
          ))}
          {here.length === 0 ? <li className="none">{t("view.none")}</li> : null}
          <li>
            <button
              type="button"
              className="button small"
              onClick={() => {
                close()
                setKeeping(true)
              }}
            >
              {t("view.keepThis")}
            </button>
          </li>
        </ul>
      </details>
      {isKeeping ? <Keep path={path} onClose={() => setKeeping(false)} /> : null}
    </>
  )
}
