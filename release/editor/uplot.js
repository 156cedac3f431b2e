// What charts.js uses of uPlot.
export { default } from "uplot";
