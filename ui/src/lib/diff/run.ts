/** Consecutive lines that both texts have. */
export interface Run {
  old: number;
  new: number;
  length: number;
}
