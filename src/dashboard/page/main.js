import { Changes } from "./changes.js";
import { Charts } from "./charts.js";
import { ClearControl } from "./clear-control.js";
import { find, html, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { FlowPicture } from "./flow-picture.js";
import { CacheModel } from "./model.js";
import { TiersTable } from "./tiers-table.js";
import { Tiles } from "./tiles.js";

const cacheChoice = /** @type {HTMLSelectElement} */ (find("#cache"));
const rangeChoice = /** @type {HTMLSelectElement} */ (find("#range"));
const tiles = new Tiles(find("#tiles"));
const flow = new FlowPicture(find("#flow"));
const charts = new Charts(find("#charts"));
const table = new TiersTable(find("#tiers"));
const changes = new Changes(find("#changes"), find("#no-changes"));
const control = new ClearControl(find("#control"));

/** @type {Map<string, CacheModel>} */
let models = new Map();
/** The cache whose changes are listed. */
let listed = "";
let canClear = false;

/** @param {import("../stats-reply.js").StatsReply} reply @param {boolean} isAnew */
function take(reply, isAnew) {
  canClear = reply.canClear;
  if (isAnew) {
    models = new Map(reply.caches.map((cache) => [cache.name, new CacheModel(cache)]));
    listed = "";
    offerCaches([...models.keys()]);
  }
  for (const cache of reply.caches) models.get(cache.name)?.update(cache, reply.historySamples);
  draw(reply.caches[0]?.samples.dtS.length ?? 0);
}

/** @param {string[]} names */
function offerCaches(names) {
  const chosen = cacheChoice.value;
  cacheChoice.replaceChildren(...names.map((name) => html("option", {}, name)));
  if (names.includes(chosen)) cacheChoice.value = chosen;
}

/** @param {number} newSamples */
function draw(newSamples) {
  const model = models.get(cacheChoice.value);
  if (model === undefined) return;
  tiles.draw(model);
  flow.draw(model);
  charts.draw(model, Number(rangeChoice.value), newSamples);
  table.draw(model);
  control.show(canClear, model.name);
  if (listed === model.name) {
    changes.tell(model, newSamples);
  } else {
    changes.clear();
    changes.tell(model, model.dtS.length);
  }
  listed = model.name;
  const troubled = model.stats.tiers.filter((_, i) => model.stateOf(i).kind !== "ok").length;
  document.title = troubled === 0 ? "kvtier" : `(${troubled}) kvtier`;
}

/** @type {Record<string, string>} */
const STATE_TEXTS = { connecting: "Connecting…", live: "● Live", stale: "▲ Stale: no new figures from the server" };

/** @param {string} state @param {number} seconds */
function showState(state, seconds) {
  document.body.dataset.state = state;
  setText(find("#state-text"), STATE_TEXTS[state] ?? "");
  // Apart, since a screen reader would read every second of it.
  setText(find("#state-age"), state === "stale" ? `since ${seconds} s` : "");
}

cacheChoice.addEventListener("change", () => draw(0));
rangeChoice.addEventListener("change", () => draw(0));
new ResizeObserver(() => draw(0)).observe(find("#main"));
new Feed(take, showState).start();
