// The bundler gives these as texts.
declare module "*.py" {
  const text: string;
  export default text;
}
