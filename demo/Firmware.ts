/**
 * How a charger of the demo updates its firmware: it downloads the file, waits until no car is charging, installs, and restarts with the version in
 * the file's name.
 */

export interface Updating {
  /** Sends a FirmwareStatusNotification. */
  readonly report: (status: string) => void
  readonly isBusy: () => boolean
  /** Restarts with the new version. */
  readonly install: (version: string) => void
}

const second = 1_000

/** For example from `satellite-5.3.0.bin`. */
const versionOf = (location: string): string | undefined => /-(\d[\d.]*\d)\.bin$/.exec(location)?.[1]

export const updateFirmware = (location: string, { install, isBusy, report }: Updating): void => {
  const version = versionOf(location)
  setTimeout(() => report("Downloading"), second)
  if (version === undefined) {
    setTimeout(() => report("DownloadFailed"), 3 * second)
    return
  }
  setTimeout(() => report("Downloaded"), 4 * second)
  const whenFree = setInterval(() => {
    if (isBusy()) return
    clearInterval(whenFree)
    report("Installing")
    setTimeout(() => {
      report("Installed")
      setTimeout(() => install(version), second)
    }, 4 * second)
  }, 5 * second)
  whenFree.unref()
}
