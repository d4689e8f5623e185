// Builds the player and, where it is there, the studio: `npm run build [player|studio]`.
import { existsSync } from "node:fs";
import { build } from "vite";

const asked = process.argv.slice(2);
for (const mode of ["player", "studio"]) {
  if (asked.length && !asked.includes(mode)) continue;
  if (!existsSync(`src/${mode}/main.ts`)) continue;
  await build({ mode, logLevel: "warn" });
}
