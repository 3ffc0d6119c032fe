import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openWorkspace } from './workspace.ts';

const app = useTestApp();

test('the stub engine echoes inside the translatable text of a page only', async () => {
  const mine = await openWorkspace(app);
  const { final_translation } = await mine.job({
    source_text: '<p title="A &amp; b" data-x=1>Hello <b>world</b> &lt;3</p><script>run()</script>',
    text_type: 'Html',
  });
  expect(final_translation).toBe(
    '<p title="[fr] A &amp; b" data-x=1>[fr] Hello <b>[fr] world</b> [fr] &lt;3</p><script>run()</script>',
  );
});

test('its echo is no translation, and exempt from the plausibility checks', async () => {
  const source_text =
    'The parcel must be delivered before Friday, and do not open the box before the technician has arrived.';
  expect((await (await openWorkspace(app)).job({ source_text })).status).toBe('published');
});
