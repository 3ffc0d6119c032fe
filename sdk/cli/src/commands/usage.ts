import { AuthenticationError } from '../../../src/index.ts';
import { type Command, exitCodes, Failed, UsageError } from '../command.ts';
import { say, sayTable } from '../io.ts';

export const usage: Command = {
  summary: 'print the billed characters by day',
  options: {
    from: { summary: 'first day, YYYY-MM-DD (default: the first of the month)', value: 'DAY' },
    to: { summary: 'last day (default: today)', value: 'DAY' },
    json: { summary: 'print JSON' },
    csv: { summary: 'print CSV' },
  },
  notes: ['Requires an administrator: run "lingualoop login --email ADDRESS". Days are in UTC.'],
  examples: ['lingualoop usage', 'lingualoop usage --from 2026-01-01 --csv > usage.csv'],
  run: async ({ io, values, client }) => {
    const from = values.text('from') ?? `${new Date().toISOString().slice(0, 7)}-01`;
    const to = values.text('to');
    for (const [name, day] of Object.entries({ from, to }))
      if (day !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(day))
        throw new UsageError(`--${name} must be a day, such as 2026-01-31`);
    const report = await (await client()).usage
      .daily({ from, ...(to !== undefined && { to }) }, { signal: io.signal })
      .catch((error: unknown) => {
        if (!(error instanceof AuthenticationError)) throw error;
        throw new Failed('usage requires an administrator: run "lingualoop login --email ADDRESS"');
      });
    const rows = report.days.map(({ date, jobs, billable_chars }): [string, number, number] => [
      date,
      jobs,
      billable_chars,
    ]);
    if (values.has('json')) say(io, JSON.stringify(report, null, 2));
    else if (values.has('csv'))
      for (const row of [['day', 'jobs', 'characters'], ...rows]) say(io, row.join(','));
    else
      sayTable(
        io,
        ['day', 'jobs', 'characters'],
        [...rows.filter(([, jobs]) => jobs > 0), ['total', report.totals.jobs, report.totals.billable_chars]],
      );
    return exitCodes.done;
  },
};
