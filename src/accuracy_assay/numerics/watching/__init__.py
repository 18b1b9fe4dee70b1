"""Evidence that a rate has fallen, which may be looked at after every label.

Notation, for one slice:

    x        score in [0, 1]; L levels that scores are counted at
    T        blocks of labels in the order of time; someone looks after each
    b        rate of the baseline, unknown; n its labels
    tau      loss that is tolerated; m = b - tau is the rate that later scores are held against
    d        size of a bet: the angle by which it turns m, D of them
    B(b)     e-value of the baseline's labels against a rate of at most b
    E_t(b)   e-process of the later labels against a rate of at least b - tau
    e_t      inf over b of B(b) E_t(b): evidence that the slice lost more than tau, at look t

Whatever b is, B(b) E_t(b) starts at 1 and has no drift if nothing was lost, and e_t is no larger.
"""
