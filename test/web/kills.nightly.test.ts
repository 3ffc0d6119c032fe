import { describe, expect, test } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { models } from '#test/translations/live.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { useKillableService } from './killable-service.ts';
import { KilledDocument } from './killed-document.ts';
import { kills, runKills, seriesTimeout } from './killed-series.ts';
import { KilledTeam } from './killed-team.ts';
import { KilledTexts } from './killed-texts.ts';

describe.skipIf(withoutBrowser)('when the tab, the server or the network is killed', () => {
  describe('while one reviewer works', () => {
    const service = useKillableService();
    const browser = useBrowser(service, { mayEnd: true });

    test(
      'texts: no keystroke older than a second is lost, no approval takes effect twice, and what was called saved is stored',
      async () => {
        const { kept } = await runKills(service, browser, KilledTexts);
        expect(kept.counts.keystrokes).toBeGreaterThan(kills);
        expect(kept.counts.approvals).toBeGreaterThan(kills / 2);
      },
      seriesTimeout,
    );

    test(
      'a document: no word older than a second is lost or stored twice, no confirmation takes effect twice, and what was called saved is stored',
      async () => {
        const { kept } = await runKills(service, browser, KilledDocument);
        expect(kept.counts.words).toBeGreaterThan(kills);
        expect(kept.counts.claims).toBeGreaterThan(0);
      },
      seriesTimeout,
    );
  });

  describe('while five people work', async () => {
    const fake = await startFakeOpenAi();
    /** Each translation has a finding. */
    const clumsy: QualityIssue = {
      severity: 'minor',
      category: 'fluency',
      explanation: 'clumsy',
      span: null,
      suggestion: null,
    };
    fake.otherwise(
      translatingReply({ translate: (text) => `[fr] ${text}`, repair: (text) => text, issues: [clumsy] }),
    );
    const service = useKillableService({
      ACCESS_TOKEN_TTL_SECONDS: '100000',
      OPENAI_API_KEY: 'sk-kills',
      OPENAI_BASE_URL: fake.baseUrl,
      OPENAI_MODEL: models.translator,
      OPENAI_REFINER_MODEL: models.refiner,
      OPENAI_EMBEDDING_MODEL: 'none',
    });
    const browser = useBrowser(service, { mayEnd: true });

    test(
      'each assignment, resolved finding, edit and approval that was confirmed is stored once, and no one makes both reviews',
      async () => {
        const { responses } = await runKills(service, browser, KilledTeam);
        console.log(JSON.stringify(responses));
        for (const verb of ['in a tab', 'assign', 'resolve', 'save', 'pass', 'approve'])
          expect(responses[`${verb}: done`], verb).toBeGreaterThan(0);
      },
      seriesTimeout * 2,
    );
  });
});
