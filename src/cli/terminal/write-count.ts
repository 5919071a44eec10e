/** '1,200 mails', '1 mail'. */
export const writeCount = (number: number, thing: string): string =>
  `${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;
