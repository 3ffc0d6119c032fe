import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();

test('C 4: in HTML the stub engine echoes inside the translatable text only', async () => {
  const { headers } = await app.signUp();
  const { body } = await app.json('POST', '/api/translations', {
    headers,
    body: {
      source_text: '<p title="A &amp; b" data-x=1>Hello <b>world</b> &lt;3</p><script>run()</script>',
      target_lang: 'fr',
      text_type: 'Html',
    },
  });
  expect(body.final_translation).toBe(
    '<p title="[fr] A &amp; b" data-x=1>[fr] Hello <b>[fr] world</b> [fr] &lt;3</p><script>run()</script>',
  );
});
