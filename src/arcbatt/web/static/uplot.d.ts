// The type of the bundle, as far as charts.js needs it.
declare const uPlot: any;
export default uPlot;
