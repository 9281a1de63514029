/* Forbids a system call to this process and its children, as the filters of containers do: it fails with an
 * error of choice. */
#ifndef SWITCHYARD_TESTS_FAULTS_FORBID_H
#define SWITCHYARD_TESTS_FAULTS_FORBID_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define FORBID_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FORBID_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static int forbid_number(const char* name) {
    static const struct {
        const char* name;
        int number;
    } calls[] = {{"process_vm_readv", SYS_process_vm_readv},
                 {"memfd_create", SYS_memfd_create},
                 {"mprotect", SYS_mprotect}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
        if (strcmp(calls[i].name, name) == 0) return calls[i].number;
    return -1;
}

/* By the name of the call, and ENOSYS or EPERM. 0: it is forbidden from now on. */
static int forbid(const char* name, const char* error) {
#ifdef FORBID_ARCHITECTURE
    const int number = forbid_number(name);
    const unsigned code = strcmp(error, "ENOSYS") == 0 ? ENOSYS : EPERM;
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FORBID_ARCHITECTURE, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    if (number < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
#else
    (void)forbid_number(name), (void)error;
    return -1;
#endif
}

#endif
