export * from "./actor";
export * from "./clock";
export * from "./document";
export * from "./marks";
export * from "./scenery";
export * from "./stage";
export * from "./viewer";
