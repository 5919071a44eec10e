/** One thing the doctor looked at. */
export interface Finding {
  state: 'fine' | 'note' | 'wrong';
  text: string;
}

export const fine = (text: string): Finding => ({ state: 'fine', text });
export const note = (text: string): Finding => ({ state: 'note', text });
export const wrong = (text: string): Finding => ({ state: 'wrong', text });
