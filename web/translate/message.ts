import {
  type CompiledMessage,
  type CompiledMessageToken,
  compileMessageOrThrow,
} from '@lingui/message-utils/compileMessage';

/*
 * Prepares messages in ICU MessageFormat for translation. The service recognizes their placeholders and syntax, and
 * rejects a translation that loses one of these. It does not add the plural forms of the target language: Arabic needs
 * six forms where English has two.
 */

type Choices = Record<string, CompiledMessage>;

/** Parses a message. @throws Error with the position of the error in the message */
export function readMessage(message: string): CompiledMessage {
  return compileMessageOrThrow(message);
}

/**
 * The text to send for a message. It contains all plural forms that the target language needs, each in English, so that
 * a translator or reviewer finds exactly these forms. A message without plurals is sent unchanged.
 */
export function messageFor(message: string, language: string): string {
  const parts = readMessage(message);
  return hasPlural(parts) ? textOf(parts, language, false) : message;
}

function hasPlural(parts: CompiledMessage): boolean {
  return parts.some((part) => {
    const choice = choiceOf(part);
    return choice && (choice.type !== 'select' || Object.values(choice.texts).some(hasPlural));
  });
}

/**
 * The argument, the type and the texts of a choice between several texts; undefined for any other part of a message.
 */
function choiceOf(part: CompiledMessageToken) {
  if (typeof part === 'string') return undefined;
  const [argument, type = '', format] = part;
  if (!['plural', 'selectordinal', 'select'].includes(type)) return undefined;
  const { offset, ...texts } = format as Choices & { offset?: number };
  return { argument, type, offset, texts: texts as Choices };
}

function textOf(parts: CompiledMessage, language: string, inPlural: boolean): string {
  return parts
    .map((part) => {
      // In a plural, `#` stands for the number.
      if (typeof part === 'string') return inPlural && part === '#' ? part : quoted(part, inPlural);
      const choice = choiceOf(part);
      if (!choice) return `{${part.filter(Boolean).join(', ')}}`;
      const { argument, type, offset } = choice;
      const texts = Object.entries(type === 'select' ? choice.texts : formsOf(choice, language));
      const forms = texts.map(([name, text]) => {
        const selector = /^\d+$/.test(name) ? `=${name}` : name;
        return `${selector} {${textOf(text, language, inPlural || type !== 'select')}}`;
      });
      return `{${argument}, ${type}, ${offset ? `offset:${offset} ` : ''}${forms.join(' ')}}`;
    })
    .join('');
}

/** Quotes literal braces. In a plural, also quotes literal number signs. */
function quoted(text: string, inPlural: boolean): string {
  return text.replace(inPlural ? /[{}#]+/g : /[{}]+/g, "'$&'");
}

/**
 * The forms that a language needs. A form that English also has starts with its English text; all other forms start
 * with the text of `other`.
 */
function formsOf({ type, texts }: { type: string; texts: Choices }, language: string): Choices {
  const rules = new Intl.PluralRules(language, { type: type === 'plural' ? 'cardinal' : 'ordinal' });
  const order = ['zero', 'one', 'two', 'few', 'many', 'other'];
  const categories = rules
    .resolvedOptions()
    .pluralCategories.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  const exact = Object.entries(texts).filter(([name]) => /^\d+$/.test(name));
  return Object.fromEntries([
    ...exact,
    ...categories.map((name) => [name, texts[name] ?? texts['other'] ?? []] as const),
  ]);
}

/**
 * Checks a translation and prepares it for the catalog. An apostrophe before a brace becomes a typographic one, because
 * it would make the brace literal text (*d'{name}*).
 * @returns the message; or a problem, if the translation is not a valid message, or if its arguments and forms differ
 * from those of the message that was sent
 */
export function readTranslation(sent: string, translated: string): { message: string } | { problem: string } {
  const message = translated.replace(/(?<=\p{L})'(?=[{}#])/gu, '’');
  let parts: CompiledMessage;
  try {
    parts = readMessage(message);
  } catch (error) {
    return { problem: `it is not a valid ICU message: ${String((error as Error).message).split('\n')[0]}` };
  }
  const [expected, found] = [syntaxOf(readMessage(sent)), syntaxOf(parts)];
  const lacking = [...expected].filter((part) => !found.has(part));
  const alien = [...found].filter((part) => !expected.has(part));
  if (lacking.length > 0) return { problem: `it lacks ${lacking.join(', ')}` };
  if (alien.length > 0)
    return { problem: `it has ${alien.join(', ')}, which the English message does not have` };
  return { message };
}

/** The arguments of a message, and the selectors of its choices. */
function syntaxOf(parts: CompiledMessage): Set<string> {
  const found = new Set<string>();
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const choice = choiceOf(part);
    if (!choice) found.add(`{${part.filter(Boolean).join(', ')}}`);
    for (const [name, text] of Object.entries(choice?.texts ?? {})) {
      found.add(`{${choice?.argument}, ${choice?.type}, … ${name}}`);
      for (const inner of syntaxOf(text)) found.add(inner);
    }
  }
  return found;
}
