import { and, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { spellingWords } from '#db/schema/terminology.ts';
import { AppError } from '#server/errors.ts';
import { bearerProcedure } from '#server/identity/access/guards/session.ts';
import { requireDeclaredLanguage } from '#server/language/set-upload.ts';

/** Maximum number of words of a workspace and language. */
const maxWords = 10_000;

const lang = z.string().max(100).describe('The language of the words.');

const wordRequest = z.object({
  lang,
  word: z
    .string()
    .max(100)
    .regex(/^[\p{L}\p{M}'’-]+$/u, 'must be one word of letters, without spaces')
    .describe('The word, at most 100 characters.'),
  correct: z.boolean().default(true).describe('With `false`, the word is removed.'),
});

const wordList = z.object({
  words: z.array(z.string()).describe('The words, sorted, at most 10000.'),
});

async function listWords(tx: Tx, tenantId: string, code: string): Promise<string[]> {
  const rows = await tx
    .select({ word: spellingWords.word })
    .from(spellingWords)
    .where(and(eq(spellingWords.tenantId, tenantId), eq(spellingWords.lang, code)))
    .orderBy(spellingWords.word);
  return rows.map(({ word }) => word);
}

/**
 * Adds a word to those that the spelling check of a workspace accepts, or removes it. The same call again changes nothing.
 * @throws AppError 422 for an unsupported language; 400 if the workspace has too many words of it
 */
async function setWord(
  tx: Tx,
  tenantId: string,
  { word, correct, ...asked }: z.infer<typeof wordRequest>,
): Promise<void> {
  const { code } = requireDeclaredLanguage('lang', asked.lang);
  const row = { tenantId, lang: code, word: word.normalize('NFC') };
  if (!correct) {
    const { lang: ofLang, word: ofWord } = spellingWords;
    await tx
      .delete(spellingWords)
      .where(and(eq(spellingWords.tenantId, tenantId), eq(ofLang, code), eq(ofWord, row.word)));
    return;
  }
  const [added] = await tx.insert(spellingWords).values(row).onConflictDoNothing().returning();
  if (!added) return;
  const [counted] = await tx
    .select({ words: sql<number>`count(*)::int` })
    .from(spellingWords)
    .where(and(eq(spellingWords.tenantId, tenantId), eq(spellingWords.lang, code)));
  if ((counted?.words ?? 0) > maxWords)
    throw new AppError('validation_error', `a workspace has at most ${maxWords} words of a language`);
}

/** The words that a workspace adds to the dictionaries of the editor. They have no route, so only /trpc serves them. */
export const spellingProcedures = {
  spellingWords: bearerProcedure
    .input(z.object({ lang }))
    .output(wordList)
    .query(async ({ ctx, input }) => {
      const { code } = requireDeclaredLanguage('lang', input.lang);
      return { words: await listWords(ctx.tx, ctx.principal.tenant.id, code) };
    }),

  setSpellingWord: bearerProcedure
    .input(wordRequest)
    .output(wordList)
    .mutation(async ({ ctx, input }) => {
      await setWord(ctx.tx, ctx.principal.tenant.id, input);
      const { code } = requireDeclaredLanguage('lang', input.lang);
      return { words: await listWords(ctx.tx, ctx.principal.tenant.id, code) };
    }),
};
