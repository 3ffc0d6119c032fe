import { LinguaLoop, NotFoundError, type Tokens, version } from '#sdk/index.ts';

/**
 * Uses the package as a customer's program would. The test of the package compiles and runs this file outside the
 * repository.
 */
export async function useThePackage(baseUrl: string, email: string) {
  const { tenant_api_key } = await new LinguaLoop({ baseUrl }).auth.signUp({
    tenant_name: 'Consumer',
    email,
    password: 'a long enough passphrase',
  });
  const client = new LinguaLoop({ baseUrl, apiKey: tenant_api_key ?? undefined });
  const job = await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
  const listed: string[] = [];
  const [page] = await client.translations.createFromFile(
    { name: 'plan.md', data: new TextEncoder().encode('The plan') },
    { target_lang: 'de' },
  );
  const { bytes, fileName } = await client.translations.golden(page?.id ?? '');
  for await (const { id } of client.translations.list()) listed.push(id);
  const missing = await client.translations.get('0'.repeat(32)).catch((error: unknown) => error);
  let kept: Tokens | null = null;
  const save = (next: Tokens | null) => {
    kept = next;
  };
  const member = new LinguaLoop({ baseUrl, tokens: { load: () => kept, save } });
  await member.auth.signIn({ email, password: 'a long enough passphrase' });
  const { user } = await member.auth.me();
  await member.auth.signOut();
  return {
    version,
    signedIn: user.email === email,
    signedOut: kept === null,
    translation: job.final_translation,
    listed: listed.length === 2 && listed[0] === page?.id && listed[1] === job.id,
    file: [fileName, new TextDecoder().decode(bytes)],
    missing: missing instanceof NotFoundError ? missing.detail : 'no NotFoundError',
  };
}
