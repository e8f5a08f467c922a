/** Links between files, campaigns and command batches. */
import { Link } from "@tanstack/react-router"
import { t } from "../../text/text.ts"

export const campaignsPath = "/files-and-firmware/campaigns"
export const batchesPath = "/files-and-firmware/batches"

/** The three lists: files, campaigns and batches. */
export const FirmwarePlaces = ({ on }: { readonly on: "files" | "campaigns" | "batches" }) => (
  <nav className="lenses" aria-label={t("place.files")}>
    {(
      [
        ["files", "/files-and-firmware", t("file.library")],
        ["campaigns", campaignsPath, t("rollout.campaigns")],
        ["batches", batchesPath, t("rollout.batches")]
      ] as const
    ).map(([id, to, label]) => (
      <Link
        key={id}
        to={to as never}
        search={{} as never}
        className={`lens${id === on ? " on" : ""}`}
        aria-current={id === on ? "page" : undefined}
      >
        {label}
      </Link>
    ))}
  </nav>
)
