/** How a language writes numbers and moments. To make one of these costs a tenth of a millisecond, to use it nothing: the panel makes each once. */
export interface Formats {
  number(amount: number): string;
  compact(amount: number): string;
  percent(share: number): string;
  moment(date: Date): string;
}

export function formatsOf(locale: string): Formats {
  const number = new Intl.NumberFormat(locale);
  const compact = once(() => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }));
  const percent = once(() => new Intl.NumberFormat(locale, { style: 'percent' }));
  const moment = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }));
  return {
    number: (amount) => number.format(amount),
    compact: (amount) => compact().format(amount),
    percent: (share) => percent().format(share),
    moment: (date) => moment().format(date),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
