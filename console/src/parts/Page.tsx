/** The frames of pages: a list with its detail beside it, the head, lenses and the filter field. */
import { Link, Outlet, useNavigate, useParams, useRouterState } from "@tanstack/react-router"
import { useEffect, useRef, type ReactNode } from "react"
import { useShortcut } from "../app/shortcuts.ts"
import { t } from "../text/text.ts"
import { auditLog, History } from "./History.tsx"
import { Icon } from "./Icon.tsx"
import { type Filters, type Pages, useFilters } from "./pages.ts"
import { Failed, Loading, NotPermitted } from "./States.tsx"
import { Table, type TableProps } from "./Table.tsx"

/** The id of the open detail, from the address. */
export const useOpen = (): string | undefined => (useParams({ strict: false }) as { readonly id?: string }).id

export const Split = ({ children, label }: { readonly children: ReactNode; readonly label: string }) => {
  const open = useOpen()
  return (
    <div className={`split${open === undefined ? "" : " with-side"}`}>
      <section className="page list" aria-label={label}>
        {children}
      </section>
      <Outlet />
    </div>
  )
}

export const Head = ({
  children,
  summary,
  title
}: {
  readonly title: string
  readonly summary?: ReactNode
  readonly children?: ReactNode
}) => (
  <header className="head">
    <div>
      <h1>{title}</h1>
      {summary === undefined ? null : <p className="secondary">{summary}</p>}
    </div>
    <div className="acts">{children}</div>
  </header>
)

export interface Lens {
  readonly label: string
  readonly filters: Filters
  readonly count?: number | string
  readonly mark?: ReactNode
}

export const Lenses = ({
  keys,
  lenses
}: {
  readonly lenses: ReadonlyArray<Lens>
  readonly keys: ReadonlyArray<string>
}) => {
  const [filters] = useFilters()
  return (
    <div className="lenses" role="group" aria-label={t("filter.show")}>
      {lenses.map(({ count, filters: wanted, label, mark }) => {
        const isOn = keys.every((key) => filters[key] === wanted[key])
        return (
          <Link
            key={label}
            to="."
            replace
            search={
              ((old: Filters) => ({
                ...Object.fromEntries(Object.entries(old).filter(([key]) => !keys.includes(key))),
                ...wanted
              })) as never
            }
            className={`lens${isOn ? " on" : ""}`}
            aria-current={isOn ? "true" : undefined}
          >
            {mark}
            {label}
            {count === undefined ? null : <b>{count}</b>}
          </Link>
        )
      })}
    </div>
  )
}

/** The filter field of a list, kept in the address as `q` or under another name. */
export const FilterField = ({
  label,
  name = "q",
  suggestions
}: {
  readonly label: string
  readonly name?: string
  readonly suggestions?: ReadonlyArray<string>
}) => {
  const [filters, set] = useFilters()
  const field = useRef<HTMLInputElement>(null)
  useShortcut("/", t("key.filter"), () => field.current?.focus())
  const value = filters[name] ?? ""
  return (
    <label className="field">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        value={value}
        placeholder={label}
        aria-label={label}
        aria-keyshortcuts="/"
        list={suggestions === undefined ? undefined : "filter-words"}
        onChange={({ target }) => set({ [name]: target.value })}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return
          event.preventDefault()
          event.stopPropagation()
          field.current?.blur()
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      {suggestions === undefined ? null : (
        <datalist id="filter-words">
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  )
}

/** A list of the service, with its loading, empty and error states. */
export const PagedTable = <A,>({
  empty,
  isFiltered = false,
  pages,
  what,
  ...table
}: Omit<TableProps<A>, "rows" | "children" | "onEnd"> & {
  readonly pages: Pages<A>
  readonly empty: ReactNode
  readonly isFiltered?: boolean
  /** For example "The sessions could not be read." */
  readonly what: string
}) => {
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  return (
    <>
      {pages.error === null ? null : <Failed what={what} error={pages.error} retry={pages.retry} />}
      <Table rows={pages.rows} onEnd={pages.more} {...table}>
        {pages.isLoading ? <Loading /> : null}
        {!pages.isLoading && pages.error === null && pages.rows.length === 0 ? (
          isFiltered ? (
            <div className="empty">
              <h2>{t("filter.none")}</h2>
              <p>{t("filter.noneText")}</p>
              <Link className="button" to="." search={{} as never}>
                {t("filter.clear")}
              </Link>
            </div>
          ) : (
            empty
          )
        ) : null}
      </Table>
    </>
  )
}

/** A detail beside its list. Escape goes back to the list, `h` to its history in the audit log. */
export const Side = ({
  acts,
  back,
  children,
  history,
  label,
  sub,
  title
}: {
  readonly back: string
  readonly label: string
  readonly title: ReactNode
  readonly sub?: ReactNode
  readonly acts?: ReactNode
  /** Its subject in the audit log, for example `charger:CP-1`. */
  readonly history?: string
  readonly children: ReactNode
}) => {
  const go = useNavigate()
  useShortcut("h", t("action.history"), () => void go(auditLog({ subject: history ?? "" })), history !== undefined)
  const close = () => void go({ to: back as never, search: ((old: unknown) => old) as never })
  useShortcut("Escape", t("key.back"), close)
  return (
    <aside className="side" aria-label={label} tabIndex={-1}>
      <header className="side-head">
        <div>
          <h1>{title}</h1>
          {sub === undefined ? null : <p className="secondary">{sub}</p>}
        </div>
        {history === undefined ? null : <History of={{ subject: history }} isKey />}
        <Link
          className="ghost"
          to={back as never}
          search={((old: unknown) => old) as never}
          aria-label={t("action.close")}
          title={t("action.close")}
        >
          <Icon name="close" />
        </Link>
      </header>
      {acts === undefined ? null : <div className="acts">{acts}</div>}
      {children}
    </aside>
  )
}

/** The first nine tabs have a digit as their key. */
const digits = 9

const TabLink = ({
  id,
  isOpen,
  label,
  name,
  turn
}: {
  readonly id: string
  readonly isOpen: boolean
  readonly label: string
  readonly name: string
  readonly turn: number
}) => {
  const go = useNavigate()
  const to = { to: "." as never, replace: true, search: ((old: Filters) => ({ ...old, [name]: id })) as never }
  const key = turn <= digits ? String(turn) : undefined
  useShortcut(key ?? "", label, () => void go(to), key !== undefined)
  return (
    <Link
      {...to}
      className={`tab-link${isOpen ? " on" : ""}`}
      aria-current={isOpen ? "true" : undefined}
      aria-keyshortcuts={key}
      title={key === undefined ? undefined : `${label} (${key})`}
    >
      {label}
    </Link>
  )
}

/** Tabs of a detail. The open one is kept in the address, and digits open them. */
export const Tabs = ({
  name = "tab",
  tabs
}: {
  readonly name?: string
  readonly tabs: ReadonlyArray<{ readonly id: string; readonly label: string; readonly show: () => ReactNode }>
}) => {
  const [filters] = useFilters()
  const open = tabs.find(({ id }) => id === filters[name]) ?? tabs[0]!
  return (
    <section className="tabs">
      <nav aria-label={t("tabs.label")}>
        {tabs.map(({ id, label }, index) => (
          <TabLink key={id} id={id} name={name} label={label} turn={index + 1} isOpen={id === open.id} />
        ))}
      </nav>
      {open.show()}
    </section>
  )
}

/** Sets the title of the document to that of the page. */
export const useTitle = (title: string): void => {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => {
    document.title = `${title} · Voltlane`
  }, [title, path])
}

/** Reads the next page of a list that is shown as a whole. */
export const More = ({ pages: { hasMore, more } }: { readonly pages: Pick<Pages<unknown>, "hasMore" | "more"> }) =>
  hasMore ? (
    <button type="button" className="button small" onClick={more}>
      {t("action.more")}
    </button>
  ) : null
