// Tabs: one pair, or all pairs side by side. Thumbnails and arrow keys choose among them too.
const tabs = [...document.querySelectorAll(".tabs button")];
const thumbnails = [...document.querySelectorAll("[data-choose]")];
function choose(tab) {
  const pair = tab.dataset.pair;
  document.body.classList.toggle("all", pair === "all");
  for (const each of tabs) each.setAttribute("aria-selected", String(each === tab));
  for (const each of thumbnails) each.classList.toggle("chosen", each.dataset.choose === pair);
  for (const shown of document.querySelectorAll("[data-of]"))
    shown.hidden = pair !== "all" && shown.dataset.of !== pair;
}
for (const tab of tabs) tab.addEventListener("click", () => choose(tab));
for (const each of thumbnails)
  each.addEventListener("click", () => choose(tabs[Number(each.dataset.choose)]));
choose(tabs[0]);
document.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
  const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
  const next = tabs[(at + step + tabs.length) % tabs.length];
  choose(next);
  next.focus({ preventScroll: true });
});
// Every mention of a name lights up with the one under the pointer.
for (const name of document.querySelectorAll("a.w-name")) {
  const same = document.querySelectorAll(`a.w-name[data-name="${name.dataset.name}"]`);
  name.addEventListener("mouseenter", () => same.forEach((each) => each.classList.add("same")));
  name.addEventListener("mouseleave", () => same.forEach((each) => each.classList.remove("same")));
}
