/**
 * Which item of a work queue is selected. It is kept by its id, since others come into the queue and leave it while a person looks at one: a key must
 * decide on the item that is shown. Only after a person's own decision does the next item take its place.
 */
import { useState } from "react"

export interface Selection {
  readonly id: string | undefined
  /** Its position when it was last in the list. */
  readonly at: number
  /** The person has decided on it: when it leaves the list, the next one is selected. */
  readonly isDecided: boolean
}

export const start: Selection = { id: undefined, at: 0, isDecided: false }

const selected = (id: string | undefined, at: number): Selection =>
  id === undefined ? start : { id, at, isDecided: false }

/** The selection for a list that may have changed. An item that left without the person's decision stays selected, and nothing is shown. */
export const settled = (selection: Selection, ids: ReadonlyArray<string>): Selection => {
  const { at, id, isDecided } = selection
  const now = id === undefined ? -1 : ids.indexOf(id)
  if (now >= 0) return now === at ? selection : { ...selection, at: now }
  if (id !== undefined && !isDecided) return selection
  const next = Math.max(0, Math.min(at, ids.length - 1))
  return ids[next] === undefined && selection === start ? selection : selected(ids[next], next)
}

/** The id of the selected item; undefined if it is no longer in the list. */
export const chosenOf = ({ id }: Selection, ids: ReadonlyArray<string>): string | undefined =>
  id !== undefined && ids.includes(id) ? id : undefined

/** Selects the next or previous item; if the selected one has left, from its former place. */
export const moved = (selection: Selection, ids: ReadonlyArray<string>, by: 1 | -1): Selection => {
  const from = settled(selection, ids)
  const isGone = chosenOf(from, ids) === undefined
  // After an item has left, its position is that of the next one.
  const to = Math.max(0, Math.min(isGone && by === 1 ? from.at : from.at + by, ids.length - 1))
  return ids[to] === undefined ? from : selected(ids[to], to)
}

/** The person has decided on the item `id`. */
export const decided = (selection: Selection, id: string): Selection =>
  selection.id === id ? { ...selection, isDecided: true } : selection

export const useSelection = (ids: ReadonlyArray<string>) => {
  const [kept, keep] = useState(start)
  const selection = settled(kept, ids)
  // React draws again at once with the new state, before anything is shown.
  if (selection !== kept) keep(selection)
  return {
    chosen: chosenOf(selection, ids),
    select: (id: string) => keep(selected(id, ids.indexOf(id))),
    move: (by: 1 | -1) => keep((old) => moved(old, ids, by)),
    decide: (id: string) => keep((old) => decided(old, id))
  }
}
