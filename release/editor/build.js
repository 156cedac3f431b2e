// Bundle each library into one file that pages import, with the licenses of all that is in it.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const OUT = "../../src/arcbatt/web/static";

for (const name of ["codemirror", "uplot"]) {
  const { metafile, outputFiles } = await build({
    entryPoints: [`${name}.js`],
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    metafile: true,
    write: false,
  });
  const packages = new Set(
    Object.keys(metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean),
  );
  const notices = [...packages].sort().map((each) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${each}/package.json`, "utf8"));
    return `${each} ${version}\n\n${readFileSync(`node_modules/${each}/LICENSE`, "utf8").trim()}\n`;
  });
  writeFileSync(`${OUT}/${name}.license.txt`, notices.join(`\n${"-".repeat(72)}\n\n`));
  const head = `// Bundled by \`make bundle-editor\` from release/editor; licenses: ${name}.license.txt\n`;
  writeFileSync(`${OUT}/${name}.js`, head + outputFiles[0].text);
}
const style = readFileSync("node_modules/uplot/dist/uPlot.min.css", "utf8").trim();
writeFileSync(`${OUT}/uplot.css`, `/* Bundled by \`make bundle-editor\`; license: uplot.license.txt */\n${style}\n`);
