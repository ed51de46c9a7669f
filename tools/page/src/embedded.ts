// What is embedded in the page as base64: the program, packed, and the example.
import { unpackLzma } from "./lzma";

export function unpackedBytes(base64: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

export function unpackedCode(base64: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(unpackLzma(unpackedBytes(base64)));
}
