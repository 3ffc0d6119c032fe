import { describe, expect, it } from 'vitest';
import { failedChecks } from './failed-checks.ts';

const source = 'The pharmacy around the corner is open until midnight.';

describe('a response in a script of another language is implausible', () => {
  it.each([
    ['ja', 'Аптека за углом открыта до полуночи каждый день.'],
    ['ar', 'As-saydaliyya fi az-zawiya maftuha hatta muntasaf al-layl.'],
    ['de', '街角の薬局は夜中の十二時まで開いています。'],
    ['zh-Hans', '角を曲がったところの薬局は真夜中まで開いています。'],
    ['ja', '拐角处的药店营业到半夜，周末和公共假日也是如此，欢迎您随时光临。'],
    ['zh-Hant', '街角的药店营业到午夜，周末也开门，请随时来。'],
    ['zh-Hans', '街角的藥局營業到午夜，週末也開門，請隨時來。'],
  ])('%s: %s', (to, answer) => {
    expect(failedChecks('en', source, to, answer)).toContain('script');
  });

  it('also in a considerable part', () => {
    const half =
      'The library is open on weekdays. 図書館は平日に開いています。本は四週間借りることができます。延長は二回まで可能です。';
    expect(
      failedChecks(
        'ja',
        '図書館は平日に開いています。本は四週間借りることができます。延長は二回まで可能です。',
        'en',
        half,
      ),
    ).toContain('script');
  });
});

describe('parts that stay in another script are plausible', () => {
  it.each([
    [
      'names of products',
      'en',
      'Open Google Chrome Remote Desktop.',
      'ja',
      'Google Chrome Remote Desktop を開く。',
    ],
    [
      'a foreign name in the source',
      'en',
      'The word 東京 means eastern capital.',
      'de',
      'Das Wort 東京 bedeutet östliche Hauptstadt.',
    ],
    ['Chinese without telling characters', 'en', 'Sunday and Monday', 'zh-Hant', '星期日和星期一'],
    ['short Japanese without kana', 'en', 'System administrator', 'ja', '情報処理安全確保支援管理者'],
  ])('%s', (_what, from, text, to, target) => {
    expect(failedChecks(from, text, to, target)).toEqual([]);
  });
});
