/** A compiled module, as wrangler bundles it. */
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
