// The bundler gives these as texts.
declare module "*.jsonl" {
  const text: string;
  export default text;
}
