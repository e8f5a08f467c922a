/** Which item of a work queue is selected while the queue changes. */
import { expect, it } from "vitest"
import { chosenOf, decided, moved, type Selection, settled, start } from "../../console/src/pages/work/selection.ts"

/** The selected item after the list was shown in each of these states. */
const after = (from: Selection, ...lists: ReadonlyArray<ReadonlyArray<string>>): Selection =>
  lists.reduce((selection, ids) => settled(selection, ids), from)

it("selects the first item of a list, once there is one", () => {
  expect(chosenOf(after(start, []), [])).toBeUndefined()
  expect(chosenOf(after(start, [], ["A", "B"]), ["A", "B"])).toBe("A")
})

it("stays with the selected item when others come before it or leave", () => {
  const selection = after(start, ["A"], ["B", "A"], ["C", "B", "A"], ["C", "A"])
  expect(chosenOf(selection, ["C", "A"])).toBe("A")
})

it("selects nothing when the selected item left without a decision, until one is selected again", () => {
  const gone = after(moved(start, ["A", "B", "C"], 1), ["A", "B", "C"], ["A", "C"])
  expect(chosenOf(gone, ["A", "C"])).toBeUndefined()
  expect(chosenOf(after(gone, ["D", "A", "C"]), ["D", "A", "C"])).toBeUndefined()
  expect(chosenOf(moved(gone, ["A", "C"], 1), ["A", "C"])).toBe("C")
  expect(chosenOf(moved(gone, ["A", "C"], -1), ["A", "C"])).toBe("A")
  expect(chosenOf(after(gone, [], ["E"]), ["E"])).toBeUndefined()
})

it("selects the next item when the selected one leaves by its own decision", () => {
  const first = after(start, ["A", "B", "C"])
  expect(chosenOf(after(decided(first, "A"), ["A", "B", "C"], ["B", "C"]), ["B", "C"])).toBe("B")
  const last = after(moved(start, ["A", "B"], 1), ["A", "B"])
  expect(chosenOf(after(decided(last, "B"), ["A"]), ["A"])).toBe("A")
  // The list may be read before the answer arrives.
  expect(chosenOf(after(decided(after(first, ["B", "C"]), "A"), ["B", "C"]), ["B", "C"])).toBe("B")
})

it("does not select by the decision on the item before", () => {
  const second = after(decided(after(start, ["A", "B", "C"]), "A"), ["B", "C"])
  expect(chosenOf(after(second, ["C"]), ["C"])).toBeUndefined()
  expect(chosenOf(after(decided(second, "A"), ["C"]), ["C"])).toBeUndefined()
})

it("begins again when the list was empty after the last decision", () => {
  const empty = after(decided(after(start, ["A"]), "A"), [])
  expect(chosenOf(after(empty, ["B"]), ["B"])).toBe("B")
})

it("goes to the next and the previous item, and no further than the ends", () => {
  const ids = ["A", "B"]
  expect(chosenOf(moved(moved(after(start, ids), ids, 1), ids, 1), ids)).toBe("B")
  expect(chosenOf(moved(after(start, ids), ids, -1), ids)).toBe("A")
  expect(chosenOf(moved(start, [], 1), [])).toBeUndefined()
})

it("is the same object while nothing changes, so that drawing it does not repeat", () => {
  for (const selection of [start, after(start, ["A"]), after(start, ["A"], ["B"]), after(start, ["A"], [])]) {
    const settledOnce = settled(selection, ["B"])
    expect(settled(settledOnce, ["B"])).toBe(settledOnce)
  }
  expect(settled(start, [])).toBe(start)
})
