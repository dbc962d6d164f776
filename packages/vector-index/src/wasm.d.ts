/** A compiled module, as bundled by wrangler. */
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
