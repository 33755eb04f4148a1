import { find, setText } from "./dom.js";

/** The one control: clears the cache that is shown, for who knows the token. The token is kept nowhere but in its field. */
export class ClearControl {
  #section;
  #form;
  #dialog;
  #answer;
  #cacheName = "";

  /** @param {HTMLElement} section */
  constructor(section) {
    this.#section = section;
    this.#form = /** @type {HTMLFormElement} */ (find("form", section));
    this.#dialog = /** @type {HTMLDialogElement} */ (find("dialog", section));
    this.#answer = find("[role=status]", section);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#confirm();
    });
    this.#dialog.addEventListener("close", () => {
      if (this.#dialog.returnValue === "yes") void this.#clear();
    });
  }

  /** @param {boolean} isAllowed whether the server takes it @param {string} cacheName */
  show(isAllowed, cacheName) {
    this.#section.hidden = !isAllowed;
    this.#cacheName = cacheName;
  }

  get #withTiers() {
    return /** @type {HTMLInputElement} */ (this.#form.elements.namedItem("tiers")).checked;
  }

  #confirm() {
    const what = this.#withTiers
      ? "and every block that its tiers have stored. They cannot be had back."
      : "in memory only.";
    setText(find("p", this.#dialog), `This clears the cache “${this.#cacheName}”, ${what}`);
    this.#dialog.returnValue = "no";
    this.#dialog.showModal();
  }

  async #clear() {
    const query = new URLSearchParams({ cache: this.#cacheName, tiers: String(this.#withTiers) });
    const token = /** @type {HTMLInputElement} */ (this.#form.elements.namedItem("token")).value;
    setText(this.#answer, "Clearing…");
    try {
      const response = await fetch(`clear?${query}`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
      setText(this.#answer, await answerText(response, this.#withTiers));
    } catch (error) {
      setText(this.#answer, `Not cleared: ${error instanceof Error ? error.message : "no answer"}`);
    }
  }
}

/** @param {Response} response @param {boolean} withTiers */
async function answerText(response, withTiers) {
  if (response.status === 401) return "Not cleared: the token is wrong.";
  /** @type {import("../../orchestrator/reset-tiers.js").ResetResult & { error?: string }} */
  // eslint-disable-next-line @typescript-eslint/no-unsafe-assignment -- what our own server answers
  const answer = await response.json();
  if (answer.error !== undefined) return answer.error;
  const left = answer.tiers.filter(({ cleared }) => withTiers && !cleared).map(({ index }) => index + 1);
  return left.length === 0 ? "Cleared." : `The pool is cleared, but not the tiers ${left.join(", ")}.`;
}
