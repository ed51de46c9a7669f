// The parts that are embedded in the page, packed together and as base64: the program, the script
// of its workers, and the example.
import { byId } from "../../report/src/dom";
import { unpackLzma } from "./lzma";
import { joined } from "./wasm_streams";

export interface Embedded {
  code: Promise<WebAssembly.Module>;
  script: string;
  example: Uint8Array<ArrayBuffer>;
}

export function unpacked(): Embedded {
  const packed = byId("packed");
  const letters = atob(packed.textContent!.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  const whole = unpackLzma(bytes);
  let end = 0;
  const parts = packed.dataset["sizes"]!.split(" ").map((size) => {
    end += Number(size);
    return whole.subarray(end - Number(size), end);
  });
  const example = parts.pop()!;
  const script = new TextDecoder().decode(parts.pop());
  return { code: WebAssembly.compile(joined(parts)), script, example };
}
