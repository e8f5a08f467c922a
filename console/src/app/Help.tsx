/** All shortcuts that work on this page, from the registry. */
import { useState } from "react"
import { Dialog } from "../parts/Dialog.tsx"
import { t } from "../text/text.ts"
import { areLettersOn, setLetters, useShortcuts } from "./shortcuts.ts"

export const Help = ({ onClose }: { readonly onClose: () => void }) => {
  const shortcuts = useShortcuts()
  const [isOn, setOn] = useState(areLettersOn)
  return (
    <Dialog title={t("help.title")} onClose={onClose} isLight>
      <dl className="keys">
        {shortcuts.map(({ keys, label }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key.replace("+", " ")}</kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            setOn(target.checked)
            setLetters(target.checked)
          }}
        />
        <span>{t("help.letters")}</span>
      </label>
    </Dialog>
  )
}
