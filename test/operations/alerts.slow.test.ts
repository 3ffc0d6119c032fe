import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '#test/setup/launch.ts';
import { anchorOf } from '#web/server/guide-pages.ts';
import { hasPrometheus, promtool, readMonitoring } from './promtool.ts';

const rules = readMonitoring('alerts.yaml');
const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string);
const guide = readFileSync(join(root, 'docs/monitoring.md'), 'utf8');

test.skipIf(!hasPrometheus)('promtool finds no mistake in the alerts and the configuration', () => {
  expect(promtool('check', 'rules', 'alerts.yaml')).toContain(`SUCCESS: `);
  expect(promtool('check', 'config', 'prometheus.yaml')).toContain('SUCCESS: ');
});

test.skipIf(!hasPrometheus)('the alerts fire as alerts.test.yaml has it', () => {
  expect(promtool('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS');
});

test('each alert has a severity, a summary, a description, and a section of the guides that explains it', () => {
  expect(names.length).toBeGreaterThan(20);
  const parts = rules.split(/(?=- alert: )/).slice(1);
  for (const part of parts) {
    expect(part).toMatch(/severity: (page|ticket)/);
    expect(part).toMatch(/summary: \S/);
    expect(part).toMatch(/description: >-\n\s+\S/);
    const [, page = '', anchor] = /runbook: (docs\/[\w-]+\.md)#([\w-]+)/.exec(part) ?? [];
    const headings = [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.+)$/gm)];
    expect(headings.map(([, heading]) => anchorOf(heading as string))).toContain(anchor);
  }
});

test('docs/monitoring.md names every alert, and no others', () => {
  const documented = [...guide.matchAll(/`(Lingualoop\w+)`/g)].map(([, name]) => name as string);
  expect(documented.toSorted()).toEqual(names.toSorted());
});
