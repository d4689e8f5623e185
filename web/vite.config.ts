/** Builds for `npm run build`: mode "player" is one script, mode "studio" a page with its files. */

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const inPackage = (path: string): string => fileURLToPath(new URL(`../src/footfall/${path}`, import.meta.url));

export default defineConfig(({ mode }) => {
  if (mode === "player") {
    return {
      build: {
        outDir: inPackage("render/player/static"),
        emptyOutDir: true,
        target: "es2022",
        lib: {
          entry: "src/player/main.ts", formats: ["iife"], name: "FootfallPlayer",
          fileName: () => "player.js",
        },
      },
    };
  }
  return {
    base: "./",
    build: {
      outDir: inPackage("studio/static"),
      emptyOutDir: true,
      target: "es2022",
      rolldownOptions: { input: "index.html" },
    },
    server: { proxy: { "/api": { target: "http://127.0.0.1:8000", ws: true } } },
  };
});
