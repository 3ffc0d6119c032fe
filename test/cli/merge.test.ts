import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { openProject } from './cli.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const argv = ['translate', 'en.json', '--to', 'de', '--output', '{lang}.json'];

describe('a JSON file', () => {
  test('keeps the edited texts, and sends only the changed ones', async () => {
    const mine = await openProject(app, {
      'en.json': json({ menu: { open: 'Open', close: 'Close' }, bye: 'Bye' }),
    });
    await withWorkers(app, async () => {
      expect((await mine.lingualoop(argv)).err).toContain('1 translation written');
      const billed = await mine.billed();
      expect(billed).toBe('OpenCloseBye'.length);
      await mine.write('de.json', json({ menu: { open: 'Öffnen', close: '[de] Close' }, bye: '[de] Bye' }));
      await mine.write(
        'en.json',
        json({ menu: { open: 'Open', close: 'Close all' }, bye: 'Bye', more: 'More' }),
      );
      expect(await mine.lingualoop([...argv, '--check'])).toMatchObject({
        code: 1,
        out: 'en.json → de: edited\n',
      });
      const second = await mine.lingualoop(argv);
      expect([second.code, second.err]).toEqual([0, expect.stringContaining('1 translation written')]);
      expect(await mine.read('de.json')).toBe(
        json({ menu: { open: 'Öffnen', close: '[de] Close all' }, bye: '[de] Bye', more: '[de] More' }),
      );
      expect((await mine.billed()) - billed).toBe('Close allMore'.length);
      expect((await mine.lingualoop([...argv, '--check'])).code).toBe(0);
    });
  });
});
