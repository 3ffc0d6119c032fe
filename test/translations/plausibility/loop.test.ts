import { expect, it } from 'vitest';
import { failedChecks } from './failed-checks.ts';

const source =
  'The lift is out of order until Friday, so please use the stairs at the back of the building. The caretaker will help ' +
  'you with heavy bags if you ring the bell beside the door. We are sorry for the trouble and thank you for your patience.';

it('a repeated phrase is implausible, in scripts with spaces and without', () => {
  const german = 'Der Aufzug ist bis Freitag außer Betrieb, bitte nehmen Sie die Treppe. ';
  expect(failedChecks('en', source, 'de', german + 'Bitte nehmen Sie die Treppe. '.repeat(6))).toContain(
    'loop',
  );
  expect(
    failedChecks(
      'en',
      source,
      'ja',
      `エレベーターは金曜日まで故障しています。${'階段をご利用ください。'.repeat(9)}`,
    ),
  ).toContain('loop');
});

it('a repeated character is implausible', () => {
  expect(
    failedChecks('en', source, 'de', `Der Aufzug ist bis Freitag außer Betrieb. ${'a'.repeat(150)}`),
  ).toContain('loop');
  expect(
    failedChecks('en', source, 'de', `Der Aufzug ist bis Freitag außer Betrieb. ${'!?'.repeat(75)}`),
  ).toContain('loop');
});

it('repetitions of the source may be repeated', () => {
  const lines = (line: (at: number) => string) => Array.from({ length: 40 }, (_, at) => line(at)).join('\n');
  const english = lines((at) => `Check the valve number ${at} before you start the pump.`);
  const french = lines((at) => `Vérifiez la vanne numéro ${at} avant de démarrer la pompe.`);
  expect(failedChecks('en', english, 'fr', french)).toEqual([]);
  expect(failedChecks('en', `Name\n${'-'.repeat(80)}\nvalue`, 'de', `Name\n${'-'.repeat(80)}\nWert`)).toEqual(
    [],
  );
});
