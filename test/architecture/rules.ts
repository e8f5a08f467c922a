/**
 * The project's rules as functions from files to violations. They are pure, so that each can be shown to fail on a made-up tree, and each violation
 * ends with its remedy.
 */
import { areas, entries, jsonParseAllowed, listsKept, strangers, type Area } from "./matrix.ts"
import { importsOf, lineAt, strip, type SourceFile } from "./source.ts"

export type Files = ReadonlyArray<SourceFile>
export type Rule = (files: Files) => ReadonlyArray<string>

/** A file with more lines than this has two subjects. */
export const lineCap = 500

const at = (file: SourceFile, line: number, what: string, fix: string): string =>
  `${file.path}:${line} ${what}. Fix: ${fix}.`

const inSrc = (files: Files): Files => files.filter((file) => file.path.startsWith("src/") && file.path.endsWith(".ts"))
const isGenerated = (file: SourceFile): boolean => /(?:^|\/)generated\/|\.gen\.ts$/.test(file.path)
const linesOf = (file: SourceFile): number => file.text.replace(/\n$/, "").split("\n").length

const areaOf = (path: string): Area | undefined =>
  areas.filter((area) => path.startsWith(area.prefix)).toSorted((a, b) => b.prefix.length - a.prefix.length)[0]

const isListed = (specifier: string, packages: ReadonlyArray<string>): boolean =>
  packages.some(
    (name) =>
      name === "*" ||
      specifier === name ||
      // `effect` alone is the core: its other entry points are unstable and are listed one by one.
      (name !== "effect" && specifier.startsWith(`${name}/`))
  )

/** Every file belongs to a row of the matrix, and imports only what its row allows. */
export const importMatrix: Rule = (files) =>
  inSrc(files).flatMap((file) => {
    const area = areaOf(file.path)
    if (area === undefined) {
      return [
        at(
          file,
          1,
          "belongs to no part of the tree",
          "move it, or add a row to test/architecture/matrix.ts and a decision"
        )
      ]
    }
    return importsOf(file).flatMap(({ line, specifier, target }) => {
      if (target === undefined) {
        const where = `${area.about} Use a port of src/domain, or do it where the package belongs`
        return isListed(specifier, area.packages) ? [] : [at(file, line, `imports ${specifier}`, where)]
      }
      const stranger = strangers.find(({ from, to }) => from.test(file.path) && to.test(target))
      if (stranger !== undefined) return [at(file, line, `imports ${target}`, stranger.fix)]
      const allowed = area.may.some((prefix) => target.startsWith(prefix))
      return allowed ? [] : [at(file, line, `imports ${target}`, `${area.about} Meet at a port of src/domain`)]
    })
  })

/** Every relative import names an existing file, with its `.ts`. */
export const importsExist: Rule = (files) => {
  const known = new Set(files.map((file) => file.path))
  return inSrc(files).flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => target !== undefined && !known.has(target))
      .map(({ line, specifier }) =>
        at(file, line, `imports ${specifier}, which is not there`, "name the file with its .ts")
      )
  )
}

/** No file reaches itself through its imports. */
export const noCycles: Rule = (files) => {
  const graph = new Map(inSrc(files).map((file) => [file.path, importsOf(file).flatMap(({ target }) => target ?? [])]))
  const done = new Set<string>()
  const found: Array<string> = []
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(path)
    if (start >= 0) {
      const circle = [...trail.slice(start), path].join(" -> ")
      found.push(`${circle} is a circle. Fix: move what both ends need into a file of its own.`)
      return
    }
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}

/** The folders that a folder is in, the outermost first: `src/a/b/C.ts` is in `src`, `src/a`, `src/a/b`. */
const foldersOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, i, names) => names.slice(0, i + 1).join("/"))

/**
 * Sibling folders do not import each other in a circle, each taken with all its contents. The files directly in a folder may import its subfolders
 * and be imported by them: they are what these have in common.
 */
export const noFolderCircles: Rule = (files) => {
  const sides = new Map<string, Map<string, Map<string, string>>>()
  for (const file of inSrc(files)) {
    const own = foldersOf(file.path)
    for (const { target } of importsOf(file)) {
      if (target === undefined) continue
      const theirs = foldersOf(target)
      const level = own.findIndex((folder, i) => folder !== theirs[i])
      const [from, to, parent] = [own[level], theirs[level], own[level - 1]]
      if (from === undefined || to === undefined || parent === undefined) continue
      const siblings = sides.get(parent) ?? new Map<string, Map<string, string>>()
      const known = siblings.get(from) ?? new Map<string, string>()
      sides.set(parent, siblings.set(from, known.set(to, known.get(to) ?? `${file.path} imports ${target}`)))
    }
  }
  return [...sides.values()].flatMap((siblings) => {
    const reachableFrom = (from: string, seen: ReadonlySet<string> = new Set()): ReadonlySet<string> =>
      [...(siblings.get(from)?.keys() ?? [])].reduce(
        (all, to) => (all.has(to) ? all : reachableFrom(to, new Set([...all, to]))),
        seen
      )
    return [...siblings].flatMap(([from, known]) =>
      [...known]
        .filter(([to]) => reachableFrom(to).has(from))
        .map(
          ([to, how]) =>
            `${from} and ${to} form a circle of folders: ${how}. Fix: move what both need to the lower one, or to a folder below both.`
        )
    )
  })
}

/** Every file is reached from an entry. The rule applies once there is a program. */
export const noUnusedFiles: Rule = (files) => {
  const sources = new Map(inSrc(files).map((file) => [file.path, file]))
  if (!sources.has("src/main.ts")) return []
  const missing = Object.keys(entries).filter((path) => !sources.has(path))
  const reached = new Set<string>()
  const queue = Object.keys(entries)
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const file = sources.get(path)
    if (file === undefined || reached.has(path)) continue
    reached.add(path)
    queue.push(...importsOf(file).flatMap(({ target }) => target ?? []))
  }
  return [
    ...missing.map((path) => `${path} is an entry and is not there. Fix: remove it from test/architecture/matrix.ts.`),
    ...[...sources.values()]
      .filter((file) => !reached.has(file.path))
      .map((file) =>
        at(
          file,
          1,
          "is used by nothing",
          "import it or delete it; a worker's file is named by new URL(…, import.meta.url)"
        )
      )
  ]
}

/** No file is longer than the cap. */
export const shortFiles: Rule = (files) =>
  inSrc(files)
    .filter((file) => !isGenerated(file) && linesOf(file) > lineCap)
    .map((file) => at(file, lineCap, `has ${linesOf(file)} lines, the cap is ${lineCap}`, "split it by subject"))

/** Every file begins with a paragraph that says which boundary it is. */
export const opensWithParagraph: Rule = (files) =>
  inSrc(files)
    .filter((file) => !/^(?:#![^\n]*\n)?\/\*\*[\s*]*[A-Z`"][\s\S]{20,}?\*\//.test(file.text))
    .map((file) =>
      at(
        file,
        1,
        "does not open with a paragraph",
        "begin with /** … */ that says in a sentence or two which boundary this file is"
      )
    )

/** Three or more string values in a list, or as the members of a type. */
const wordList = /\[\s*(?:"[^"\n]+"\s*,\s*){2,}"[^"\n]+"\s*,?\s*\]|"[\w-]+"(?:\s*\|\s*"[\w-]+"){2,}/g

/** A list of string values, such as the statuses of a session, is written once: two lists differ as soon as one of them gets another value. */
export const eachListOnce: Rule = (files) => {
  const first = new Map<string, SourceFile>()
  return inSrc(files)
    .filter((file) => !isGenerated(file))
    .flatMap((file) =>
      [...strip(file.text).withStrings.matchAll(wordList)].flatMap((match) => {
        const values = [...new Set([...match[0].matchAll(/"([^"]+)"/g)].map(([, word]) => word ?? ""))]
          .toSorted()
          .join(" ")
        const other = first.get(values) ?? file
        first.set(values, other)
        if (other === file || listsKept.has(values)) return []
        const fix =
          "write it once, in the domain where it has a place there, and derive the type and the schemas from it"
        return [at(file, lineAt(file.text, match.index), `lists the same words as ${other.path}: ${values}`, fix)]
      })
    )
}

/** No file only re-exports others: imports name the file that defines the thing. */
export const noBarrels: Rule = (files) =>
  inSrc(files).flatMap((file) => {
    const named = /(?:^|\/)index\.ts$/.test(file.path)
      ? [at(file, 1, "is a barrel by its name", "import the files themselves; name this one after what it is")]
      : []
    const star = [...strip(file.text).code.matchAll(/\bexport\s*\*(?!\s*as\b)/g)].map((match) =>
      at(file, lineAt(file.text, match.index), "re-exports everything of another file", "import from that file")
    )
    return [...named, ...star]
  })

interface Ban {
  readonly word: RegExp
  readonly where: RegExp
  readonly fix: string
  /** Comments count too, since they hide postponed work. */
  readonly inComments?: boolean
  readonly except?: Readonly<Record<string, string>>
}

const inDomain = /^src\/domain\//
const anywhere = /^src\//
const asArgument = "take it as an argument: decide, evolve and price are functions of their inputs"

/** Words that are banned in some places, with what to write instead. */
export const bans: ReadonlyArray<Ban> = [
  { word: /\bas\s+any\b/, where: anywhere, fix: "decode with Schema, or write the type" },
  { word: /:\s*any\b/, where: anywhere, fix: "write unknown and decode it" },
  { word: /@ts-(?:ignore|expect-error|nocheck)\b/, where: anywhere, inComments: true, fix: "mend the type" },
  {
    word: /\b(?:TODO|FIXME|XXX)\b/,
    where: anywhere,
    inComments: true,
    fix: "do it now, or say in CHANGELOG.md what is missing"
  },
  {
    word: /\bJSON\.parse\b/,
    where: anywhere,
    except: jsonParseAllowed,
    fix: "use Schema.fromJsonString, so that nothing undecoded gets in"
  },
  { word: /\bDate\.now\b/, where: inDomain, fix: asArgument },
  { word: /\bnew Date\(\s*\)/, where: inDomain, fix: asArgument },
  { word: /\bperformance\.now\b/, where: inDomain, fix: asArgument },
  { word: /\bMath\.random\b/, where: inDomain, fix: asArgument },
  { word: /\bcrypto\.(?:random|get|subtle)/, where: inDomain, fix: asArgument },
  {
    word: /\bset(?:Timeout|Interval|Immediate)\b/,
    where: inDomain,
    fix: "return a deadline; the actor keeps the time"
  },
  { word: /\b(?:process|globalThis|Deno)\./, where: inDomain, fix: "the domain knows no runtime; pass the value in" },
  { word: /\bEffect\.run(?:Sync|Promise|Fork|Callback)/, where: inDomain, fix: "only the edges run effects" }
]

/** No banned word is used where it is banned. */
export const bansTerms: Rule = (files) =>
  inSrc(files).flatMap((file) => {
    const { code } = strip(file.text)
    return bans
      .filter(({ except, where }) => where.test(file.path) && except?.[file.path] === undefined)
      .flatMap(({ fix, inComments, word }) =>
        [...(inComments === true ? file.text : code).matchAll(new RegExp(word, "g"))].map((match) =>
          at(file, lineAt(file.text, match.index), `says ${match[0]}`, fix)
        )
      )
  })

/** Lines of a document or script that run the tests by npm, as a reader would type them. */
const testCommands = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => /^[\s$>]*((?:npm ci && )?npm test)\s*(?:#.*)?$/.exec(line)?.[1] ?? [])

/** The commands in the documents for newcomers are those that CI runs. */
export const sameTestCommand: Rule = (files) => {
  const ci = files.find((file) => file.path === ".ci/run")
  const command = ci === undefined ? undefined : testCommands(ci.text)[0]
  if (command === undefined)
    return [".ci/run does not call npm test. Fix: let it run the README's test command unchanged."]
  return files
    .filter((file) => file.path === "README.md" || file.path === "CONTRIBUTING.md")
    .filter((file) => !testCommands(file.text).includes(command))
    .map((file) => `${file.path} does not show \`${command}\` on a line of its own. Fix: write what .ci/run calls.`)
}
