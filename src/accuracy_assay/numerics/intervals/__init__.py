"""Intervals of rates, and of the accuracies of finite pools.

Notation of the whole sub-package; a module lists only what it adds.

| symbol  | shape      | meaning                                                         |
|---------|------------|-----------------------------------------------------------------|
| A       | number     | arms                                                            |
| rho     | (A,)       | rate of an arm, sigmoid(m + s z) with z standard normal         |
| m, s    | (A,)       | mean and standard deviation of the logit of rho                 |
| U       | (A,)       | rows of an arm without a label, as a whole number               |
| X, Y    | (A,)       | how many of them turn out right, and wrong: X + Y = U           |
| level   | scalar     | probability that an interval is to hold                         |
| n, p, q | (A, nodes) | trials, chance and 1 - chance of a binomial at each node of rho |
"""
