import type { LandingWords } from './words.ts';

export const en: LandingWords = {
  title: 'Translation you can answer for',
  eyebrow: 'Open-source translation with people in the loop',
  headline: 'Translation you can answer for.',
  lead: 'Send a sentence or a whole file. LinguaLoop translates it, checks every segment, and shows you only the ones that need a person.',
  readApi: 'Read the API',
  demo: 'Explore the demo workspace',
  points: [
    'Open source, under the MIT license',
    'Run it yourself: `npm ci && npm start`',
    'Works with OpenAI-compatible models',
  ],
  picture:
    'The editor: the minutes of a meeting in English and Spanish, segment by segment, with a changed time marked as critical.',
  how: 'How it works',
  howHeading: 'Three things it does not let slip',
  layout: {
    heading: 'The layout is kept',
    text: 'Files in {formats} formats keep their form: headings, tables, links and page breaks. In Arabic, the page reads from right to left.',
    measured:
      'Measured: {texts} of {texts} texts in {files} Word and Excel files translated, with every formula, link and style unchanged.',
  },
  checks: {
    heading: 'Checks that no model can override',
    text: 'Plain code compares numbers, placeholders, links and tags. A good score does not outweigh a changed amount.',
    measured:
      'Measured: {caught} of {losses} planted errors found in {tested} languages, and {alarms} false alarms in {pairs} real translations.',
  },
  memory: {
    heading: 'A memory that reviewers build',
    text: 'An approved text is served again without a model. Similar texts guide the model as examples, and your terms apply from the first job.',
    measured:
      'Measured: among {segments} segments, an exact match takes {exact} ms, and a fuzzy match {fuzzy} ms.',
    exact: ['Approved before', 'no model call'],
    fuzzy: ['One amount differs', 'an example'],
    fresh: ['new', 'Never seen', 'checked in full'],
  },
  formats: 'Formats',
  formatsHeading: '{formats} file formats that keep their form',
  different: {
    heading: 'What sets it apart',
    submissions: {
      heading: 'Submissions that never count twice',
      text: 'Send a text or a file again with the same key, and you get the same job. Its characters count once.',
    },
    gate: {
      heading: 'A gate before each result',
      text: 'A translation that fails a check goes to a reviewer, in texts and in files. Reviewers correct single segments, and even a PDF keeps its layout.',
    },
    storage: {
      heading: 'Storage that you own',
      text: 'Files and records are stored in a directory of your server, or in your Azure Data Lake. The model gets texts, never files.',
    },
    start: {
      heading: 'One command to host it',
      text: '`npm ci && npm start` installs and starts everything, including the database. It needs no account and no license key.',
    },
    install: 'Installing',
  },
  languages: 'Languages',
  languagesHeading: '{count} languages, each in its own script',
  developers: 'Developers',
  developersHeading: 'One request. The response is the finished job.',
  developersText: 'A text that needs a reviewer returns `awaiting_review`, and appears in the inbox.',
  developersPoints: [
    'Typed SDK: {sdk} kB, no dependencies',
    'OpenAPI 3.1, XLIFF 2.1, TBX',
    'Idempotency keys, cursors, readable errors',
  ],
  quickStart: 'Quick start',
  samples: 'Example',
  comment: 'the response is the finished job',
  prices: {
    heading: 'Prices',
    characters: '{characters} characters per month',
    per: { day: 'per day', week: 'per week', month: 'per month', year: 'per year' },
    topup: 'More when you need them: {characters} characters for {price}.',
    inclusive: 'Prices include tax.',
    exclusive: 'Prices do not include tax.',
  },
  finalHeading: 'Read less. Trust more.',
  finalText: 'Start with one file.',
  trial:
    'Start with a text: the first {characters} characters are free, for {days}. Files and the API need a plan.',
  plan: 'Texts, files and the API need a plan.',
  apiPlan: 'On this service, the API needs a plan.',
};
