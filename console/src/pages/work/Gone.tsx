/** Takes the place of the selected item after it left the queue without a decision of this person. */
import { t } from "../../text/text.ts"

export const Gone = () => (
  <section>
    <p className="notice" role="status">
      {t("work.gone")}
    </p>
  </section>
)
