// @ts-check
// Keys that open links: n for the next task, p for the previous one, except in text fields.
document.addEventListener("keydown", (event) => {
  const writing = event.target instanceof HTMLElement && event.target.closest("input, select, textarea, [contenteditable]");
  if (writing || event.altKey || event.ctrlKey || event.metaKey || !/^[a-z]$/.test(event.key)) return;
  const link = document.querySelector(`a[data-key="${event.key}"]`);
  if (link instanceof HTMLAnchorElement) location.assign(link.href);
});
