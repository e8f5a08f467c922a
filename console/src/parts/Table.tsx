/**
 * A table of any length: only the rows on screen are in the document. Rows are links; j and k or the arrow keys move, x selects. On a phone a row has
 * two lines.
 */
import { Link } from "@tanstack/react-router"
import { useVirtualizer } from "@tanstack/react-virtual"
import { memo, useCallback, useEffect, useRef, useState, type ReactNode } from "react"
import { useShortcut } from "../app/shortcuts.ts"
import { t } from "../text/text.ts"

export interface Column<A> {
  readonly id: string
  /** For the column with the id `act` it is only read by screen readers: buttons need no visible title. */
  readonly title: string
  readonly cell: (row: A) => ReactNode
  /** Its position on a phone; a column without one is not shown there. */
  readonly phone?: "name" | "side" | "second" | "value"
  readonly align?: "right"
  /** A share of the width, or a fixed width. */
  readonly width?: string
  /** Hidden in lists narrower than this. */
  readonly from?: "narrow" | "medium" | "wide"
  /** This cell is the link of the row. */
  readonly isLink?: boolean
}

export interface TableProps<A> {
  readonly label: string
  readonly rows: ReadonlyArray<A>
  readonly columns: ReadonlyArray<Column<A>>
  readonly keyOf: (row: A) => string
  /** The address of a row's detail. */
  readonly hrefOf?: (row: A) => string
  /** The key of the row whose detail is open. */
  readonly open?: string | undefined
  readonly picked?: ReadonlySet<string>
  readonly onPick?: (key: string) => void
  /** Called when the last rows come into sight. */
  readonly onEnd?: () => void
  readonly rowCount?: number
  readonly children?: ReactNode
}

/** Height of the titles, which stay above the rows, in pixels. */
const headHeight = 32

const narrowQuery = "(max-width: 720px)"
export const useIsNarrow = (): boolean => {
  const [isNarrow, set] = useState(() => matchMedia(narrowQuery).matches)
  useEffect(() => {
    const query = matchMedia(narrowQuery)
    const onChange = () => set(query.matches)
    query.addEventListener("change", onChange)
    return () => query.removeEventListener("change", onChange)
  }, [])
  return isNarrow
}

const classOf = <A,>({ align, from, id, phone }: Column<A>): string =>
  [`c-${id}`, align === "right" ? "num" : "", phone === undefined ? "no-phone" : `p-${phone}`, from ?? ""]
    .filter(Boolean)
    .join(" ")

interface LineProps<A> {
  readonly row: A
  readonly index: number
  readonly columns: ReadonlyArray<Column<A>>
  readonly id: string
  readonly href: string | undefined
  readonly isOpen: boolean
  readonly isPicked: boolean | undefined
  readonly onPick: ((key: string) => void) | undefined
  readonly onReach: (index: number) => void
}

const LineOf = <A,>({ columns, href, id, index, isOpen, isPicked, onPick, onReach, row }: LineProps<A>) => (
  <tr
    role="row"
    aria-rowindex={index + 2}
    aria-selected={isPicked}
    className={`line${isOpen ? " open" : ""}`}
    data-key={id}
  >
    {onPick === undefined ? null : (
      <td role="cell" className="c-pick no-phone">
        <input
          type="checkbox"
          checked={isPicked === true}
          onChange={() => onPick(id)}
          aria-label={t("table.select", { name: id })}
        />
      </td>
    )}
    {columns.map((column) => (
      <td role="cell" key={column.id} className={classOf(column)}>
        {column.isLink === true && href !== undefined ? (
          <Link
            to={href as never}
            search={((old: unknown) => old) as never}
            preload={false}
            className="row-link"
            data-row={index}
            aria-current={isOpen ? "true" : undefined}
            onFocus={() => onReach(index)}
          >
            {column.cell(row)}
          </Link>
        ) : (
          column.cell(row)
        )}
      </td>
    ))}
  </tr>
)
const Line = memo(LineOf) as typeof LineOf

export const Table = <A,>({
  children,
  columns,
  hrefOf,
  keyOf,
  label,
  onEnd,
  onPick,
  open,
  picked,
  rowCount,
  rows
}: TableProps<A>) => {
  const box = useRef<HTMLDivElement>(null)
  const reached = useRef(-1)
  const brought = useRef<string | undefined>(undefined)
  const isNarrow = useIsNarrow()
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => (isNarrow ? 64 : 40),
    overscan: 8
  })
  useEffect(() => virtual.measure(), [isNarrow, virtual])
  const items = virtual.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 10) onEnd?.()
  }, [last, rows.length, onEnd])

  const reach = (to: number) => {
    if (rows.length === 0) return
    const index = Math.max(0, Math.min(rows.length - 1, to))
    reached.current = index
    virtual.scrollToIndex(index)
    requestAnimationFrame(() =>
      requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus())
    )
  }
  const onReach = useCallback((index: number) => {
    reached.current = index
  }, [])
  // A row that was opened from elsewhere, for example by the palette or an address, may be far below. Scrolls there once: after that the list stays
  // where the person scrolled to.
  useEffect(() => {
    if (open === brought.current) return
    const index = rows.findIndex((row) => keyOf(row) === open)
    if (open !== undefined && index < 0) return
    brought.current = open
    const list = box.current
    if (index < 0 || list === null || list.clientHeight === 0) return
    reached.current = index
    const row = list.querySelector(".line.open")?.getBoundingClientRect()
    const { bottom, top } = list.getBoundingClientRect()
    if (row === undefined || row.bottom <= top + headHeight || row.top >= bottom) {
      virtual.scrollToIndex(index, { align: "center" })
    }
  }, [open, rows])
  useShortcut("j", t("key.next"), () => reach(reached.current + 1), hrefOf !== undefined)
  useShortcut("k", t("key.previous"), () => reach(reached.current - 1), hrefOf !== undefined)
  useShortcut(
    "x",
    t("key.select"),
    () => {
      const row = rows[reached.current]
      if (row !== undefined) onPick?.(keyOf(row))
    },
    onPick !== undefined
  )

  return (
    <div className="scroll" ref={box} tabIndex={-1}>
      <table role="table" aria-rowcount={(rowCount ?? rows.length) + 1} aria-label={label}>
        <colgroup>
          {onPick === undefined ? null : <col className="no-phone" style={{ width: "40px" }} />}
          {columns.map(({ from, id, width }) => (
            <col key={id} className={from} style={width === undefined ? undefined : { width }} />
          ))}
        </colgroup>
        <thead role="rowgroup">
          <tr role="row">
            {onPick === undefined ? null : (
              <th role="columnheader" className="c-pick">
                <span className="hide">{t("table.pick")}</span>
              </th>
            )}
            {columns.map((column) => (
              <th role="columnheader" key={column.id} className={classOf(column)}>
                {column.id === "act" ? <span className="hide">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {above > 0 ? (
            <tr aria-hidden="true" className="gap">
              <td style={{ height: `${above}px` }} />
            </tr>
          ) : null}
          {items.map(({ index }) => {
            const row = rows[index]
            if (row === undefined) return null
            const id = keyOf(row)
            return (
              <Line
                key={id}
                row={row}
                index={index}
                columns={columns}
                id={id}
                href={hrefOf?.(row)}
                isOpen={id === open}
                isPicked={picked?.has(id)}
                onPick={onPick}
                onReach={onReach}
              />
            )
          })}
          {below > 0 ? (
            <tr aria-hidden="true" className="gap">
              <td style={{ height: `${below}px` }} />
            </tr>
          ) : null}
        </tbody>
      </table>
      {children}
    </div>
  )
}
