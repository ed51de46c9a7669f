// A program of the playground in the page's address, so that it can be shared as a link.

export interface SharedProgram {
  program: string;
  conf: string;
  memory: string;
  reference: string;
  beside: string;
}

/** Null where the address has no program. */
export function programOfAddress(hash: string): SharedProgram | null {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const program = given.get("learn");
  if (program === null) return null;
  const text = (name: string) => given.get(`learn-${name}`) ?? "";
  return { program, conf: text("conf"), memory: text("memory"), reference: text("reference"),
           beside: text("beside") };
}

export function addressOfProgram({ program, conf, memory, reference, beside }: SharedProgram): string {
  const given = new URLSearchParams({ learn: program });
  for (const [name, value] of Object.entries({ conf, memory, reference, beside }))
    if (value !== "") given.set(`learn-${name}`, value);
  return `#${given.toString()}`;
}
