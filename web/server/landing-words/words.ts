/**
 * The texts of the landing page. `{name}` is replaced by a figure, and text between backticks is shown as code.
 */
export interface LandingWords {
  title: string;
  eyebrow: string;
  headline: string;
  lead: string;
  readApi: string;
  demo: string;
  points: readonly [string, string, string];
  /** The description of the picture of the editor. */
  picture: string;
  how: string;
  howHeading: string;
  layout: { heading: string; text: string; measured: string };
  checks: { heading: string; text: string; measured: string };
  memory: {
    heading: string;
    text: string;
    measured: string;
    /** Three cases: the match and its effect. */
    exact: readonly [string, string];
    fuzzy: readonly [string, string];
    fresh: readonly [match: string, text: string, effect: string];
  };
  formats: string;
  formatsHeading: string;
  different: {
    heading: string;
    submissions: { heading: string; text: string };
    gate: { heading: string; text: string };
    storage: { heading: string; text: string };
    start: { heading: string; text: string };
    /** The link to the guide. */
    install: string;
  };
  languages: string;
  languagesHeading: string;
  developers: string;
  developersHeading: string;
  developersText: string;
  developersPoints: readonly [string, string, string];
  quickStart: string;
  samples: string;
  comment: string;
  prices: {
    /** Also the name of the link to this part. */
    heading: string;
    characters: string;
    per: Readonly<Record<'day' | 'week' | 'month' | 'year', string>>;
    topup: string;
    inclusive: string;
    exclusive: string;
  };
  finalHeading: string;
  /** Shown if everything can be translated without a plan. */
  finalText: string;
  /** Shown instead if new workspaces have a free trial. It covers only texts in the browser. */
  trial: string;
  /** Shown instead if nothing can be translated without a plan. */
  plan: string;
  /** Added to `developersText` if plans are needed: the trial does not cover the API. */
  apiPlan: string;
}
