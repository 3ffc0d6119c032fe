/** A name such as /F1, without its slash and with its #-codes decoded. Each byte is one UTF-16 unit. */
export class Name {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

export type Operand = number | boolean | Uint8Array | Name | Operand[] | Map<string, Operand>;
