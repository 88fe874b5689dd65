// A growing list of 32-bit numbers, in an eighth of the memory that a list of objects takes.

const MIN_ROOM = 64;

/** Numbers that are added without knowing how many they will be. */
export class NumberColumn {
  length = 0;
  #room = new Uint32Array(0);

  add(numbers: ArrayLike<number>): void {
    this.reserve(numbers.length);
    this.#room.set(numbers, this.length);
    this.length += numbers.length;
  }

  push(number: number): void {
    this.reserve(1);
    this.#room[this.length] = number;
    this.length += 1;
  }

  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.#room.length) return;
    const larger = new Uint32Array(Math.max(needed, 2 * this.#room.length, MIN_ROOM));
    larger.set(this.#room);
    this.#room = larger;
  }

  view(): Uint32Array {
    return this.#room.subarray(0, this.length);
  }
}
